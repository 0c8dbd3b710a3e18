# What R's survival expects of people of given ages and sexes (Ederer I):
# Rscript population.R LIFE_TABLE.csv PEOPLE.csv OUT.csv TIME TIME ...
# With calendar years, and without: the table of 2000 alone.
library(survival)
arguments <- commandArgs(trailingOnly = TRUE)
rates <- read.csv(arguments[1])
# A column of F alone would be read as FALSE.
people <- read.csv(arguments[2], colClasses = c(sex = "character"))
at <- as.numeric(arguments[-(1:3)])
sexes <- c("M", "F")
people$sex <- factor(people$sex, levels = sexes)
as_ratetable <- function(rates) {
  ages <- sort(unique(rates$age))
  years <- sort(unique(rates$year))
  table <- array(NA, c(length(ages), 2, length(years)), list(ages, sexes, years))
  place <- cbind(match(rates$age, ages), match(rates$sex, sexes), match(rates$year, years))
  table[place] <- rates$hazard
  attr(table, "dimid") <- c("age", "sex", "year")
  attr(table, "type") <- c(2, 1, 2)
  attr(table, "cutpoints") <- list(ages, NULL, years)
  class(table) <- "ratetable"
  table
}
out <- data.frame()
for (years in c("yes", "no")) {
  # Twice the one year: R wants more than one cell in each dimension.
  only <- rates[rates$year == 2000, ]
  table <- as_ratetable(if (years == "yes") rates else rbind(only, transform(only, year = 2001)))
  for (leaf in sort(unique(people$leaf))) {
    own <- people[people$leaf == leaf, ]
    expected <- survexp(~1, data = own, rmap = list(age = age, sex = sex, year = year),
      times = at, ratetable = table, method = "ederer")
    value <- sprintf("%.12g", expected$surv)
    out <- rbind(out, data.frame(leaf = leaf, years = years, at = at, value = value))
  }
}
write.csv(out, arguments[3], row.names = FALSE, quote = FALSE)
