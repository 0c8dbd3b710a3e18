# Trees of survival by rpart and partykit: Rscript beside.R COHORT.csv DRAWS.csv OUT.csv
# COHORT: time, event, then inputs. DRAWS: a column per bootstrap, rows of the cohort from 1.
# OUT: the node of each patient, a column per method and bootstrap.
suppressPackageStartupMessages({library(survival); library(rpart); library(partykit)})
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1], stringsAsFactors = TRUE)
draws <- read.csv(arguments[2])
out <- list()
for (name in names(draws)) {
  own <- data[draws[[name]], ]
  fit <- rpart(Surv(time, event) ~ ., data = own, method = "exp", minbucket = 20)
  # The tree with the smallest error of its own cross validation, as its manual prunes.
  best <- fit$cptable[which.min(fit$cptable[, "xerror"]), "CP"]
  fit <- prune(fit, cp = best)
  out[[paste0("rpart_", name)]] <- predict(as.party(fit), newdata = data, type = "node")
  fit <- ctree(Surv(time, event) ~ ., data = own, control = ctree_control(minbucket = 20L))
  out[[paste0("ctree_", name)]] <- predict(fit, newdata = data, type = "node")
}
write.csv(as.data.frame(out), arguments[3], row.names = FALSE)
