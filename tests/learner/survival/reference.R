# What R's survival says of a cohort: Rscript reference.R COHORT.csv OUT.csv CALLS.csv TIME TIME
# Columns time, event (1: the event), leaf, then covariates; one line per leaf (0: all) and quantity.
library(survival)
source("ask.R")
covariates <- setdiff(names(data), c("time", "event", "leaf"))
at <- as.numeric(arguments[4:5])
given <- c(
  own = "data[data$leaf == leaf, ]",
  inside = "as.numeric(data$leaf == leaf)",
  curve = "survfit(Surv(time, event == 1) ~ 1, data = own, conf.type = \"log-log\")",
  then = "summary(curve, times = at, extend = TRUE)",
  with_all = "rbind(cbind(own, group = 1), cbind(data, group = 2))",
  alone = "coxph(Surv(time, event == 1) ~ inside, data = data)",
  adjusted = paste(
    "coxph(reformulate(c(\"inside\", covariates), \"Surv(time, event == 1)\"),",
    "data = data)"
  )
)
of_leaf <- c(
  n = "nrow(own)",
  events = "sum(own$event == 1)",
  q25 = "quantile(curve, .25)$quantile",
  q25_low = "quantile(curve, .25)$lower",
  q25_high = "quantile(curve, .25)$upper",
  median = "quantile(curve, .5)$quantile",
  median_low = "quantile(curve, .5)$lower",
  median_high = "quantile(curve, .5)$upper",
  q75 = "quantile(curve, .75)$quantile",
  q75_low = "quantile(curve, .75)$lower",
  q75_high = "quantile(curve, .75)$upper",
  last_survival = "tail(curve$surv, 1)",
  last_survival_low = "tail(curve$lower, 1)",
  last_survival_high = "tail(curve$upper, 1)",
  survival_1 = "then$surv[1]",
  survival_1_low = "then$lower[1]",
  survival_1_high = "then$upper[1]",
  survival_2 = "then$surv[2]",
  survival_2_low = "then$lower[2]",
  survival_2_high = "then$upper[2]",
  logrank_p = "survdiff(Surv(time, event == 1) ~ group, data = with_all)$pvalue",
  logrank_p_rest = "survdiff(Surv(time, event == 1) ~ inside, data = data)$pvalue",
  hazard_ratio = "summary(alone)$conf.int[\"inside\", \"exp(coef)\"]",
  hazard_ratio_low = "summary(alone)$conf.int[\"inside\", \"lower .95\"]",
  hazard_ratio_high = "summary(alone)$conf.int[\"inside\", \"upper .95\"]",
  cox_p = "summary(alone)$coefficients[\"inside\", \"Pr(>|z|)\"]",
  ph_p = "cox.zph(alone, transform = \"rank\", terms = FALSE)$table[\"inside\", \"p\"]"
)
# The model of all covariates is asked the same.
of_model <- of_leaf[grepl("alone", of_leaf)]
of_adjusted <- setNames(
  sub("alone", "adjusted", of_model, fixed = TRUE), paste0(names(of_model), "_adjusted")
)
of_all <- c(
  multivariate_logrank_p = "survdiff(Surv(time, event == 1) ~ leaf, data = data)$pvalue",
  concordance = "concordance(Surv(time, event == 1) ~ leaf, data = data, reverse = TRUE)$concordance"
)
answer(given, c(of_leaf, of_adjusted), of_all = of_all)
