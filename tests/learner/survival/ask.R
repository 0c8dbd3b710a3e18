# What the scripts of this folder share: calls are texts, run in order, and answered line by line.
# `given` makes what `of_all` reads (leaf 0), `given_leaf` what `of_leaf` reads of each leaf. A script
# has its cohort in `data` and its files in `arguments`: COHORT.csv OUT.csv CALLS.csv ...
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
run <- function(call) eval(parse(text = call), globalenv())
make <- function(calls) {
  for (name in names(calls)) assign(name, run(calls[[name]]), globalenv())
}
answer <- function(given_leaf, of_leaf, given = c(), of_all = c()) {
  out <- data.frame()
  say <- function(leaf, calls) {
    for (name in names(calls)) {
      value <- sprintf("%.12g", run(calls[[name]]))
      out <<- rbind(out, data.frame(leaf = leaf, name = name, value = value))
    }
  }
  make(given)
  say(0, of_all)
  for (one in sort(unique(data$leaf))) {
    assign("leaf", one, globalenv())
    make(given_leaf)
    say(one, of_leaf)
  }
  write.csv(out, arguments[2], row.names = FALSE, quote = FALSE)
  calls <- c(given, of_all, given_leaf, of_leaf)
  write.csv(data.frame(name = names(calls), call = calls), arguments[3], row.names = FALSE)
}
