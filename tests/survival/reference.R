# What R's survival says of a cohort: Rscript reference.R COHORT.csv OUT.csv
# Columns time, event, leaf, then covariates; one line per leaf and quantity.
library(survival)
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
covariates <- setdiff(names(data), c("time", "event", "leaf"))
out <- data.frame()
say <- function(leaf, name, value) {
  out <<- rbind(out, data.frame(leaf = leaf, name = name, value = sprintf("%.12g", value)))
}
ratio <- function(leaf, formula, suffix) {
  fit <- summary(coxph(formula, data = data))
  say(leaf, paste0("hazard_ratio", suffix), fit$conf.int["inside", "exp(coef)"])
  say(leaf, paste0("hazard_ratio_low", suffix), fit$conf.int["inside", "lower .95"])
  say(leaf, paste0("hazard_ratio_high", suffix), fit$conf.int["inside", "upper .95"])
  say(leaf, paste0("cox_p", suffix), fit$coefficients["inside", "Pr(>|z|)"])
}
p <- function(test) pchisq(test$chisq, length(test$n) - 1, lower.tail = FALSE)
for (leaf in sort(unique(data$leaf))) {
  data$inside <- as.numeric(data$leaf == leaf)
  own <- data[data$inside == 1, ]
  say(leaf, "n", nrow(own))
  say(leaf, "events", sum(own$event))
  curve <- survfit(Surv(time, event) ~ 1, data = own, conf.type = "log-log")
  quartiles <- quantile(curve, c(.25, .5, .75))
  for (i in 1:3) {
    name <- c("q25", "median", "q75")[i]
    say(leaf, name, quartiles$quantile[i])
    say(leaf, paste0(name, "_low"), quartiles$lower[i])
    say(leaf, paste0(name, "_high"), quartiles$upper[i])
  }
  last <- length(curve$time)
  say(leaf, "last_survival", curve$surv[last])
  say(leaf, "last_survival_low", curve$lower[last])
  say(leaf, "last_survival_high", curve$upper[last])
  say(leaf, "logrank_p_rest", p(survdiff(Surv(time, event) ~ inside, data = data)))
  both <- rbind(cbind(own, group = 1), cbind(data, group = 2))
  say(leaf, "logrank_p", p(survdiff(Surv(time, event) ~ group, data = both)))
  ratio(leaf, Surv(time, event) ~ inside, "")
  adjusted <- reformulate(c("inside", covariates), "Surv(time, event)")
  ratio(leaf, adjusted, "_adjusted")
}
say(0, "multivariate_logrank_p", p(survdiff(Surv(time, event) ~ leaf, data = data)))
write.csv(out, arguments[2], row.names = FALSE, quote = FALSE)
