# Trees of survival by rpart and partykit: Rscript beside.R COHORT.csv DRAWS.csv OUT.csv
# COHORT: time, event, then inputs. DRAWS: a column per bootstrap, rows of the cohort from 1.
# OUT: the node of each patient, a column per method and bootstrap.
suppressPackageStartupMessages({library(survival); library(rpart); library(partykit)})
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1], stringsAsFactors = TRUE)
draws <- read.csv(arguments[2])
out <- list()
nodes <- function(fit) {
  found <- predict(fit, newdata = data, type = "node")
  if (length(found) == nrow(data)) found else NULL  # of some trees without rows that lack a value
}
by_rpart <- function(own) {
  fit <- rpart(Surv(time, event) ~ ., data = own, method = "exp", minbucket = 20)
  # The tree with the smallest error of its own cross validation, as its manual prunes.
  best <- fit$cptable[which.min(fit$cptable[, "xerror"]), "CP"]
  nodes(as.party(prune(fit, cp = best)))
}
by_ctree <- function(own) {
  nodes(ctree(Surv(time, event) ~ ., data = own, control = ctree_control(minbucket = 20L)))
}
# A draw that one of them cannot fit has no column, and its number in the table is smaller.
for (name in names(draws)) {
  own <- data[draws[[name]], ]
  out[[paste0("rpart_", name)]] <- tryCatch(by_rpart(own), error = function(e) NULL)
  out[[paste0("ctree_", name)]] <- tryCatch(by_ctree(own), error = function(e) NULL)
}
write.csv(as.data.frame(out), arguments[3], row.names = FALSE)
