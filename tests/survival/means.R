# What R says of mean times up to a horizon: Rscript means.R COHORT.csv OUT.csv CALLS.csv HORIZON
# Columns time, event (0, 1, 2, ...), leaf, entry; one line per leaf and quantity. `_late`: of those
# who come under observation at `entry`.
# The calls are texts: they are run as calls.csv tells them.
library(survival)
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
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
run <- function(call) eval(parse(text = call), globalenv())
out <- data.frame()
for (leaf in sort(unique(data$leaf))) {
  for (name in names(given)) assign(name, run(given[[name]]))
  for (name in names(of_leaf)) {
    value <- sprintf("%.12g", run(of_leaf[[name]]))
    out <- rbind(out, data.frame(leaf = leaf, name = name, value = value))
  }
}
write.csv(out, arguments[2], row.names = FALSE, quote = FALSE)
calls <- c(given, of_leaf)
write.csv(data.frame(name = names(calls), call = calls), arguments[3], row.names = FALSE)
