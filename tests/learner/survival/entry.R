# What R says of patients who come under observation late, from `entry` on:
# Rscript entry.R COHORT.csv OUT.csv CALLS.csv HORIZON
# Columns time, event (0, 1, 2, ...), leaf, entry, covariates; a line per leaf (0: all) and quantity.
library(survival)
source("ask.R")
covariates <- setdiff(names(data), c("time", "event", "leaf", "entry"))
horizon <- as.numeric(arguments[4])
# survdiff takes no entries: those at risk and the events at each time, as tables of Mantel.
tables <- function(group) {
  at <- sort(unique(data$time[data$event == 1]))
  found <- sapply(at, function(t) {
    risk <- data$entry < t & data$time >= t
    died <- factor(data$time == t & data$event == 1, c(TRUE, FALSE))
    table(factor(group)[risk], died[risk])
  }, simplify = "array")
  found[, , apply(found, 3, sum) > 1]
}
given <- c(
  own = "data[data$leaf == leaf, ]",
  inside = "as.numeric(data$leaf == leaf)",
  curve = "survfit(Surv(entry, time, event == 1) ~ 1, data = own, conf.type = \"log-log\")",
  states = paste(
    "survfit(Surv(entry, time, factor(event, 0:max(data$event))) ~ 1,",
    "data = own, id = seq_along(time), conf.type = \"log-log\")"
  ),
  last = "max(own$time[own$event == 1])",
  then = "summary(states, times = last)",
  by = "summary(curve, times = horizon)",
  by_cause = "summary(states, times = horizon)",
  alone = "coxph(Surv(entry, time, event == 1) ~ inside, data = data)",
  adjusted = paste(
    "coxph(reformulate(c(\"inside\", covariates), \"Surv(entry, time, event == 1)\"),",
    "data = data)"
  ),
  weighted = paste(
    "coxph(Surv(entry, time, event == 1) ~ inside, data = data,",
    "weights = 1 + leaf %% 3 + entry / max(time), robust = TRUE, cluster = seq_along(time))"
  )
)
of_leaf <- c(
  q25 = "quantile(curve, .25)$quantile",
  q25_low = "quantile(curve, .25)$lower",
  q25_high = "quantile(curve, .25)$upper",
  median = "quantile(curve, .5)$quantile",
  median_low = "quantile(curve, .5)$lower",
  median_high = "quantile(curve, .5)$upper",
  last_survival = "tail(curve$surv, 1)",
  last_survival_low = "tail(curve$lower, 1)",
  last_survival_high = "tail(curve$upper, 1)",
  incidence = "then$pstate[1, 2]",
  incidence_low = "then$lower[1, 2]",
  incidence_high = "then$upper[1, 2]",
  risk = "1 - by$surv",
  risk_low = "1 - by$upper",
  risk_high = "1 - by$lower",
  risk_of_cause = "by_cause$pstate[1, 2]",
  risk_of_cause_low = "by_cause$lower[1, 2]",
  risk_of_cause_high = "by_cause$upper[1, 2]",
  logrank_p_rest = "mantelhaen.test(tables(inside), correct = FALSE)$p.value",
  hazard_ratio = "summary(alone)$conf.int[\"inside\", \"exp(coef)\"]",
  hazard_ratio_low = "summary(alone)$conf.int[\"inside\", \"lower .95\"]",
  hazard_ratio_high = "summary(alone)$conf.int[\"inside\", \"upper .95\"]",
  cox_p = "summary(alone)$coefficients[\"inside\", \"Pr(>|z|)\"]",
  ph_p = "cox.zph(alone, transform = \"rank\", terms = FALSE)$table[\"inside\", \"p\"]"
)
of_model <- of_leaf[grepl("alone", of_leaf)]
of_others <- setNames(
  sub("alone", "adjusted", of_model, fixed = TRUE), paste0(names(of_model), "_adjusted")
)
of_model <- of_model[names(of_model) != "ph_p"]
of_weighted <- setNames(
  sub("alone", "weighted", of_model, fixed = TRUE), paste0(names(of_model), "_weighted")
)
of_all <- c(
  concordance = "concordance(Surv(entry, time, event == 1) ~ leaf, data = data, reverse = TRUE)$concordance",
  multivariate_logrank_p = "mantelhaen.test(tables(data$leaf), correct = FALSE)$p.value"
)
answer(given, c(of_leaf, of_others, of_weighted), of_all = of_all)
