# What R says of the treated and the untreated in each leaf, counted from a landmark:
# Rscript treated.R COHORT.csv OUT.csv CALLS.csv LANDMARK
# Columns time, event (1: the event), leaf, treated; one line per leaf and quantity.
library(survival)
source("ask.R")
landmark <- as.numeric(arguments[4])
given <- c(
  after = "transform(subset(data, time > landmark), time = time - landmark)",
  own = "after[after$leaf == leaf, ]",
  inside = "as.numeric(after$leaf == leaf)",
  model = "coxph(Surv(time, event == 1) ~ treated, data = own)",
  model_leaf_treated = "coxph(Surv(time, event == 1) ~ inside, data = after, subset = treated == 1)",
  model_leaf_untreated = "coxph(Surv(time, event == 1) ~ inside, data = after, subset = treated == 0)",
  curve_treated = "survfit(Surv(time, event == 1) ~ 1, data = own, subset = treated == 1)",
  curve_untreated = "survfit(Surv(time, event == 1) ~ 1, data = own, subset = treated == 0)"
)
of_leaf <- c(
  n = "nrow(own)",
  n_left_out = "sum(data$leaf == leaf & data$time <= landmark)",
  n_treated = "sum(own$treated == 1)",
  n_untreated = "sum(own$treated == 0)",
  events_treated = "sum(own$event[own$treated == 1] == 1)",
  events_untreated = "sum(own$event[own$treated == 0] == 1)",
  q25_treated = "quantile(curve_treated, .25)$quantile",
  median_treated = "quantile(curve_treated, .5)$quantile",
  q75_treated = "quantile(curve_treated, .75)$quantile",
  q25_untreated = "quantile(curve_untreated, .25)$quantile",
  median_untreated = "quantile(curve_untreated, .5)$quantile",
  q75_untreated = "quantile(curve_untreated, .75)$quantile",
  delta_last = "tail(curve_treated$surv, 1) - tail(curve_untreated$surv, 1)",
  logrank_p = "survdiff(Surv(time, event == 1) ~ treated, data = own)$pvalue"
)
# Three models are asked the same: of the treatment, of the leaf among treated and untreated.
of_model <- function(suffix) {
  calls <- c(
    hazard_ratio = "summary(MODEL)$conf.int[1, \"exp(coef)\"]",
    hazard_ratio_low = "summary(MODEL)$conf.int[1, \"lower .95\"]",
    hazard_ratio_high = "summary(MODEL)$conf.int[1, \"upper .95\"]",
    cox_p = "summary(MODEL)$coefficients[1, \"Pr(>|z|)\"]",
    ph_p = "cox.zph(MODEL, transform = \"rank\", terms = FALSE)$table[1, \"p\"]"
  )
  setNames(gsub("MODEL", paste0("model", suffix), calls), paste0(names(calls), suffix))
}
for (suffix in c("", "_leaf_treated", "_leaf_untreated")) of_leaf <- c(of_leaf, of_model(suffix))
answer(given, of_leaf)
