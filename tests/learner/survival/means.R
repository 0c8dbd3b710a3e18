# What R says of mean times up to a horizon: Rscript means.R COHORT.csv OUT.csv CALLS.csv HORIZON
# Columns time, event (0, 1, 2, ...), leaf, entry; one line per leaf and quantity. `_late`: of those
# who come under observation at `entry`.
library(survival)
source("ask.R")
horizon <- as.numeric(arguments[4])
given <- c(
  own = "data[data$leaf == leaf, ]",
  mean = "summary(survfit(Surv(time, event == 1) ~ 1, data = own), rmean = horizon)$table",
  mean_late = "summary(survfit(Surv(entry, time, event == 1) ~ 1, data = own), rmean = horizon)$table",
  states = "survfit(Surv(time, factor(event, 0:max(data$event))) ~ 1, data = own)",
  states_late = paste(
    "survfit(Surv(entry, time, factor(event, 0:max(data$event))) ~ 1, data = own,",
    "id = seq_along(time))"
  )
)
of_leaf <- c(
  rmst = "mean[\"rmean\"]",
  rmst_error = "mean[\"se(rmean)\"]",
  rmst_late = "mean_late[\"rmean\"]",
  rmst_error_late = "mean_late[\"se(rmean)\"]",
  time_lost = "summary(states, rmean = horizon)$table[2, \"rmean\"]",
  time_lost_error = "sqrt(sum(residuals(states, times = horizon, type = \"auc\")[, 2]^2))",
  time_lost_late = "summary(states_late, rmean = horizon)$table[2, \"rmean\"]",
  time_lost_error_late = "sqrt(sum(residuals(states_late, times = horizon, type = \"auc\")[, 2]^2))"
)
answer(given, of_leaf)
