# What R says of a cohort with competing causes:
# Rscript competing.R COHORT.csv OUT.csv CALLS.csv TIME TIME
# Columns time, event (0, 1, 2, ...), leaf; one line per leaf (0: all) and quantity.
library(survival)
library(cmprsk)
source("ask.R")
at <- as.numeric(arguments[4:5])
# p of the chi-squared, as `pv` of cuminc is 1 less what is below it: no digits of a small p.
given <- c(
  gray = "cuminc(data$time, data$event, data$leaf, cencode = 0)$Tests"
)
of_all <- c(
  gray_1 = "gray[\"1\", \"stat\"]",
  gray_p_1 = "pchisq(gray[\"1\", \"stat\"], gray[\"1\", \"df\"], lower.tail = FALSE)",
  gray_2 = "gray[\"2\", \"stat\"]",
  gray_p_2 = "pchisq(gray[\"2\", \"stat\"], gray[\"2\", \"df\"], lower.tail = FALSE)"
)
given_leaf <- c(
  own = "data[data$leaf == leaf, ]",
  rest = "cuminc(data$time, data$event, data$leaf == leaf, cencode = 0)$Tests",
  states = paste(
    "survfit(Surv(time, factor(event, 0:max(data$event))) ~ 1,",
    "data = own, conf.type = \"log-log\")"
  ),
  last = "max(own$time[own$event == 1])",
  then = "summary(states, times = sort(unique(c(at, last))), extend = TRUE)"
)
of_leaf <- c(
  gray_p = "pchisq(rest[\"1\", \"stat\"], 1, lower.tail = FALSE)",
  incidence = "tail(cuminc(own$time, own$event, cencode = 0)[[\"1 1\"]]$est, 1)",
  incidence_low = "then$lower[match(last, then$time), 2]",
  incidence_high = "then$upper[match(last, then$time), 2]",
  incidence_1 = "then$pstate[match(at[1], then$time), 2]",
  incidence_1_low = "then$lower[match(at[1], then$time), 2]",
  incidence_1_high = "then$upper[match(at[1], then$time), 2]",
  incidence_2 = "then$pstate[match(at[2], then$time), 2]",
  incidence_2_low = "then$lower[match(at[2], then$time), 2]",
  incidence_2_high = "then$upper[match(at[2], then$time), 2]"
)
answer(given_leaf, of_leaf, given, of_all)
