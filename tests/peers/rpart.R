# Node of each row in rpart's unpruned tree: Rscript rpart.R TABLE.csv OUT.csv SPLIT DEPTH BUCKET
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
data$y <- factor(data$y)
fit <- rpart::rpart(
  y ~ ., data, method = "class", parms = list(split = arguments[3]),
  control = rpart::rpart.control(
    cp = -1, xval = 0, maxcompete = 0, maxsurrogate = 0, minsplit = 2,
    maxdepth = as.integer(arguments[4]), minbucket = as.integer(arguments[5])
  )
)
write.csv(data.frame(node = as.integer(rownames(fit$frame))[fit$where]), arguments[2], row.names = FALSE)
