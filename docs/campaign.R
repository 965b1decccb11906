# A campaign from captures to a figure in R. It needs R alone, without packages.
# docs/campaign.ipynb does the same in pandas. Run it in docs/: Rscript campaign.R
#
# Put the pattern of your captures here. {scenario} and {run} name what was run.
pattern <- "../testdata/sessions/campaign/{scenario}/run{run}/client.pcap.zst"
values <- tempfile(fileext = ".csv")
arguments <- c("compare", "--pattern", shQuote(pattern), "--values", values, "--no-cache")
status <- system2("mpanalyze", arguments, stdout = FALSE, stderr = FALSE)
if (status != 0) stop("mpanalyze ended with status ", status)

# A row is a figure of a run. The runs were captured at the client, which receives b2a.
all <- read.csv(values, na.strings = "")
of <- subset(all, direction == "b2a" & role == "scenario")
delay <- subset(of, metric == "protocol_delay_ms.avg" & is.na(path))
srtt <- subset(of, metric == "srtt_ms.avg" & !is.na(path))

# sd() is that of a sample (n - 1), as in the tables of compare.
cat("scenario,runs,mean,sd\n")
for (s in sort(unique(delay$scenario))) {
  v <- delay$value[delay$scenario == s]
  cat(sprintf("%s,%d,%.3f,%.3f\n", s, length(v), mean(v), sd(v)))
}

svg("campaign-r.svg", width = 17.8 / 2.54, height = 7 / 2.54, pointsize = 9)
par(mfrow = c(1, 2), mar = c(3, 4, 1, 1), las = 1)
boxplot(value ~ scenario, delay, xlab = "", ylab = "protocol delay, mean of a run (ms)", col = "white", outline = FALSE)
stripchart(value ~ scenario, delay, vertical = TRUE, pch = 19, col = "#0072B2", add = TRUE)
paths <- sort(unique(srtt$path))
colours <- c("#0072B2", "#D55E00")
marks <- c(19, 15)
stripchart(value ~ scenario, srtt, vertical = TRUE, col = NA, xlab = "", ylab = "SRTT, mean of a run (ms)")
for (i in seq_along(paths)) {
  stripchart(value ~ scenario, subset(srtt, path == paths[i]), vertical = TRUE, pch = marks[i], col = colours[i], add = TRUE)
}
legend("right", paths, pch = marks, col = colours, cex = 0.8)
invisible(dev.off())
