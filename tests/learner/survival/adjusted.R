# What R says of the treated and the untreated in each leaf, adjusted and weighted:
# Rscript adjusted.R COHORT.csv OUT.csv CALLS.csv
# Columns time, event (1: the event), leaf, treated, covariates; a line per leaf (0: all) and quantity.
library(survival)
source("ask.R")
covariates <- setdiff(names(data), c("time", "event", "leaf", "treated"))
given <- c(
  regression = "glm(reformulate(covariates, \"treated\"), data = data, family = binomial, epsilon = 1e-14)",
  e = "fitted(regression)",
  overlap = "ifelse(data$treated == 1, 1 - e, e)",
  share = "mean(data$treated)",
  ate = "ifelse(data$treated == 1, share / e, (1 - share) / (1 - e))",
  one = "coxph(Surv(time, event == 1) ~ treated + factor(leaf), data = data)",
  other = "coxph(Surv(time, event == 1) ~ treated * factor(leaf), data = data)",
  one_adjusted = "update(one, reformulate(c(\".\", covariates), \".\"))",
  other_adjusted = "update(other, reformulate(c(\".\", covariates), \".\"))"
)
of_all <- c(
  interaction_p = "anova(one, other)[2, \"Pr(>|Chi|)\"]",
  interaction_p_adjusted = "anova(one_adjusted, other_adjusted)[2, \"Pr(>|Chi|)\"]",
  propensity_1 = "e[[1]]",
  propensity_last = "tail(e, 1)[[1]]",
  overlap_1 = "overlap[[1]]",
  ate_1 = "ate[[1]]",
  ate_last = "tail(ate, 1)[[1]]"
)
given_leaf <- c(
  inside = "data$leaf == leaf",
  adjusted = paste(
    "coxph(reformulate(c(\"treated\", covariates), \"Surv(time, event == 1)\"),",
    "data = data, subset = inside)"
  ),
  weighted_overlap = paste(
    "coxph(Surv(time, event == 1) ~ treated, data = data, subset = inside,",
    "weights = overlap, robust = TRUE)"
  ),
  weighted_ate = paste(
    "coxph(Surv(time, event == 1) ~ treated, data = data, subset = inside,",
    "weights = ate, robust = TRUE)"
  )
)
of_model <- c(
  hazard_ratio = "summary(MODEL)$conf.int[1, \"exp(coef)\"]",
  hazard_ratio_low = "summary(MODEL)$conf.int[1, \"lower .95\"]",
  hazard_ratio_high = "summary(MODEL)$conf.int[1, \"upper .95\"]",
  cox_p = "summary(MODEL)$coefficients[1, \"Pr(>|z|)\"]"
)
of_leaf <- c()
for (model in c("adjusted", "weighted_overlap", "weighted_ate")) {
  calls <- gsub("MODEL", model, of_model)
  of_leaf <- c(of_leaf, setNames(calls, paste0(names(of_model), "_", model)))
}
answer(given_leaf, of_leaf, given, of_all)
