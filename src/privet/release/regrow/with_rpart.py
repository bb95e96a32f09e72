"""The text of regrow.R: the trees of a release grown again with R and its package rpart."""

from collections.abc import Sequence

from privet.tree.foreign.rpart import SPLITS, deepest
from privet.tree.model import Tree

_TEXT = r"""# Grow the trees of this release again with rpart, and say whether they are the same.
#
# It needs R with its package rpart (for Parquet also nanoparquet or arrow), and no Privet:
#
#     Rscript regrow.R
#
# It reads the data, leaves out suppressed columns, grows each tree to its end and keeps the splits
# that gain most, as many as model.json has leaves. Then it compares columns, thresholds (as exactly
# as R reads decimals), categories and records of every node. The exit status is 0 if all trees are
# the same, and 1 if not.

growers <- list(
@GROWERS@
)

# JSON by its tokens; an object is a named list, null is NULL
json <- function(path) {
  text <- paste(readLines(path, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  pattern <- '"(?:[^"\\\\]|\\\\.)*"|[\\[\\]{}:,]|[^\\s\\[\\]{}:,"]+'
  tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
  at <- 0
  following <- function() { at <<- at + 1; tokens[at] }
  unquoted <- function(token) {
    body <- substr(token, 2, nchar(token) - 1)
    if (!grepl("\\", body, fixed = TRUE)) return(body)
    pattern <- "\\\\u[0-9a-fA-F]{4}|\\\\.|[^\\\\]+"
    parts <- regmatches(body, gregexpr(pattern, body, perl = TRUE))[[1]]
    plain <- c("\\n" = "\n", "\\t" = "\t", "\\r" = "\r", "\\b" = "\b", "\\f" = "\f")
    paste(vapply(parts, function(part) {
      if (substr(part, 1, 1) != "\\") part
      else if (substr(part, 2, 2) == "u") intToUtf8(strtoi(substr(part, 3, 6), 16))
      else if (part %in% names(plain)) plain[[part]]
      else substr(part, 2, 2)
    }, ""), collapse = "")
  }
  value <- function() {
    token <- following()
    if (token == "{" || token == "[") {
      found <- list(); names <- character(); last <- if (token == "{") "}" else "]"
      if (tokens[at + 1] == last) { following(); return(found) }
      repeat {
        if (token == "{") { names <- c(names, unquoted(following())); following() }
        found <- c(found, list(value()))
        if (following() == last) break
      }
      if (token == "{") names(found) <- names
      return(found)
    }
    if (substr(token, 1, 1) == '"') return(unquoted(token))
    switch(token, null = NULL, true = TRUE, false = FALSE, as.numeric(token))
  }
  value()
}

texts <- function(labels) {
  vapply(labels, function(label) if (is.null(label)) NA_character_ else as.character(label), "")
}

read <- function(kinds) {
  if (file.exists("data.csv")) {
    return(read.csv("data.csv", check.names = FALSE, colClasses = "character", na.strings = "",
      encoding = "UTF-8", fileEncoding = "", quote = "\""))
  }
  parts <- sort(list.files("data", pattern = "^part-.*[.]parquet$", full.names = TRUE))
  if (length(parts) == 0) parts <- "data.parquet"
  if (requireNamespace("nanoparquet", quietly = TRUE)) {
    return(do.call(rbind, lapply(parts, function(part) {
      as.data.frame(nanoparquet::read_parquet(part))
    })))
  }
  if (requireNamespace("arrow", quietly = TRUE)) {
    return(do.call(rbind, lapply(parts, function(part) as.data.frame(arrow::read_parquet(part)))))
  }
  cat("Parquet needs the R package nanoparquet or arrow.\n")
  quit(status = 2)
}

# Dates are days, datetimes microseconds, both since 1970; the time of day may be left out.
as_number <- function(cells, kind) {
  if (inherits(cells, "POSIXct")) return(round(as.numeric(cells) * 1e6))  # in whatever time zone
  if (kind %in% c("integer", "decimal")) return(as.numeric(cells))
  text <- as.character(cells)
  part <- function(from, to) {
    found <- substr(text, from, to)
    ifelse(is.na(text), NA, suppressWarnings(as.numeric(ifelse(found == "", "0", found))))
  }
  days <- as.numeric(as.Date(substr(text, 1, 10)))
  seconds <- part(12, 13) * 3600 + part(15, 16) * 60
  if (kind == "date") days + (seconds + part(18, 26)) / 86400
  else (days * 86400 + seconds) * 1e6 + round(part(18, 27) * 1e7) / 10  # thresholds lie half way
}

# Missing numbers lie above all others; missing is a category. Categories are sorted by their bytes.
as_column <- function(cells, kind) {
  if (kind == "category") {
    return(factor(cells, levels = c(sort(unique(as.character(cells)), method = "radix"),
      if (anyNA(cells)) NA), exclude = NULL))
  }
  numbers <- as_number(cells, kind)
  largest <- if (all(is.na(numbers))) 0 else max(numbers, na.rm = TRUE)
  numbers[is.na(numbers)] <- largest + max(1, abs(largest))
  numbers
}

# The class of each record by its number in the model; numbers are compared as numbers.
classes_of <- function(cells, kind, classes) {
  if (kind == "category") return(match(as.character(cells), texts(classes)))
  known <- vapply(classes, function(one) if (is.null(one)) NA_real_ else as_number(one, kind), 0)
  match(as_number(cells, kind), known)
}

# What a gain is made of: it is the disorder of a node less that of its children.
disorder <- function(rows, y, split) {
  if (!is.factor(y)) return(sum((y[rows] - mean(y[rows]))^2))
  counts <- as.numeric(table(y[rows]))
  n <- sum(counts)
  counts <- counts[counts > 0]
  if (split == "information") -sum(counts * log2(counts / n)) else n - sum(counts^2) / n
}

# Which records go left by a split of the model; NULL if its threshold is not this one.
followed <- function(node, numbers, cells, kind, threshold) {
  if (node$kind == "subset") return(cells %in% texts(node$left))
  if (is.null(node$threshold)) return(!is.na(cells))
  asked <- as_number(node$threshold, kind)
  if (abs(asked - threshold) > 1e-14 * abs(asked)) NULL else numbers < threshold
}

difference <- function(data, kinds, model, settings) {
  if (nrow(data) != model$nodes[[1]]$records) return("there are more or fewer records")
  offered <- texts(model$grower$attributes)
  offered <- offered[vapply(offered, function(name) length(unique(data[[name]])) > 1, TRUE)]
  table <- lapply(offered, function(name) as_column(data[[name]], kinds[[name]]))
  names(table) <- paste0("x", seq_along(table))
  kind <- kinds[[model$target]]
  regression <- is.null(model$classes)
  y <- if (regression) as_number(data[[model$target]], kind) else
    factor(classes_of(data[[model$target]], kind, model$classes))
  table <- as.data.frame(c(table, list(y = y)))
  control <- rpart::rpart.control(minsplit = 2, minbucket = settings$minbucket, cp = -1,
    maxcompete = 0, maxsurrogate = 0, usesurrogate = 0, xval = 0, maxdepth = settings$maxdepth)
  tree <- rpart::rpart(y ~ ., data = table, method = if (regression) "anova" else "class",
    parms = if (regression) NULL else list(split = settings$split), control = control)
  numbers <- as.numeric(rownames(tree$frame))
  asked <- as.character(tree$frame$var)
  thresholds <- rep(NA_real_, length(numbers))
  thresholds[asked != "<leaf>"] <- tree$splits[, "index"]
  leaf <- numbers[tree$where]
  below <- function(number) {
    levels <- floor(log2(leaf)) - floor(log2(number))
    levels >= 0 & floor(leaf / 2^pmax(levels, 0)) == number
  }
  split_of <- function(number) {
    at <- match(number, numbers)
    if (asked[at] == "<leaf>") return(NULL)
    left <- which(below(2 * number))
    right <- which(below(2 * number + 1))
    rows <- c(left, right)
    gain <- disorder(rows, y, settings$split) - disorder(left, y, settings$split) -
      disorder(right, y, settings$split)
    name <- offered[as.integer(substring(asked[at], 2))]
    list(column = name, threshold = thresholds[at], left = left, right = right, gain = gain)
  }
  place <- list(`0` = 1)  # the number that rpart gives to each node of the model
  splits <- list(`1` = split_of(1))
  inner <- Filter(function(node) node$kind != "leaf", model$nodes)
  inner <- inner[order(vapply(inner, function(node) node$children[[1]], 0))]
  for (node in inner) {
    number <- place[[as.character(node$id)]]
    split <- splits[[as.character(number)]]
    if (is.null(split)) return(paste("node", node$id, "is a leaf"))
    if (split$column != node$attribute) {
      instead <- paste0("'", split$column, "' instead of '", node$attribute, "'")
      return(paste("node", node$id, "asks", instead))
    }
    gains <- vapply(Filter(Negate(is.null), splits), function(other) other$gain, 0)
    if (max(gains) - split$gain > 1e-9 * disorder(seq_along(y), y, settings$split)) {
      return(paste("node", node$id, "is not the one that gains most"))
    }
    goes_left <- followed(node, table[[match(split$column, offered)]], data[[split$column]],
      kinds[[split$column]], split$threshold)
    if (is.null(goes_left)) return(paste("node", node$id, "has another threshold"))
    mirrored <- !goes_left[split$left[1]]
    first <- if (mirrored) split$right else split$left
    second <- if (mirrored) split$left else split$right
    records <- model$nodes[[node$children[[1]] + 1]]$records
    if (!all(goes_left[first]) || any(goes_left[second]) || length(first) != records) {
      return(paste("node", node$id, "is cut elsewhere"))
    }
    children <- 2 * number + (if (mirrored) c(1, 0) else c(0, 1))
    splits[[as.character(number)]] <- NULL
    for (i in 1:2) {
      place[[as.character(node$children[[i]])]] <- children[i]
      splits[[as.character(children[i])]] <- split_of(children[i])
    }
  }
  NULL
}

if (!requireNamespace("rpart", quietly = TRUE)) {
  cat("R needs its package rpart.\n")
  quit(status = 2)
}
here <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
if (length(here) == 1) setwd(dirname(normalizePath(here)))
columns <- json("manifest.json")$schema$columns
kinds <- lapply(columns, function(column) column$kind)
data <- read(kinds)
names(data) <- names(kinds)
first <- json("model.json")
models <- c(list(first), first$more_trees)
same <- TRUE
for (i in seq_along(models)) {
  found <- difference(data, kinds, models[[i]], growers[[i]])
  same <- same && is.null(found)
  cat(if (is.null(found)) paste("YES: the same tree of", growers[[i]]$leaves, "leaves grows for")
    else "NO: another tree grows for", paste0(models[[i]]$target,
    if (is.null(found)) "" else paste0(": ", found), ".\n"))
}
quit(status = if (same) 0 else 1)
"""


def script(trees: Sequence[Tree]) -> str:
    """regrow.R with the settings of each tree."""
    return _TEXT.replace("@GROWERS@", ",\n".join(map(_settings, trees)))


def _settings(tree: Tree) -> str:
    grower = tree.grower
    split = SPLITS.get(grower.impurity, "gini")
    return (
        f'  list(split = "{split}", leaves = {tree.n_leaves}, minbucket = {grower.min_leaf}, '
        f"maxdepth = {deepest(tree)})"
    )
