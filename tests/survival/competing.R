# What R's cmprsk says of a cohort with competing causes: Rscript competing.R COHORT.csv OUT.csv
# Columns time, event (0, 1, 2, ...), leaf; one line per leaf (0: all) and quantity.
library(cmprsk)
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
out <- data.frame()
say <- function(leaf, name, value) {
  out <<- rbind(out, data.frame(leaf = leaf, name = name, value = sprintf("%.12g", value)))
}
tests <- cuminc(data$time, data$event, data$leaf, cencode = 0)$Tests
for (cause in c("1", "2")) {
  say(0, paste0("gray_", cause), tests[cause, "stat"])
  # Of the chi-squared, as `pv` is 1 less what is below it: no digits of a small p.
  p <- pchisq(tests[cause, "stat"], tests[cause, "df"], lower.tail = FALSE)
  say(0, paste0("gray_p_", cause), p)
}
for (leaf in sort(unique(data$leaf))) {
  own <- data[data$leaf == leaf, ]
  test <- cuminc(data$time, data$event, data$leaf == leaf, cencode = 0)$Tests["1", "stat"]
  say(leaf, "gray_p", pchisq(test, 1, lower.tail = FALSE))
  say(leaf, "incidence", tail(cuminc(own$time, own$event, cencode = 0)[["1 1"]]$est, 1))
}
write.csv(out, arguments[2], row.names = FALSE, quote = FALSE)
