#!/bin/sh
# paper.sh FOLDER OUT: every table and figure of a paper, of a campaign of captures.
#
# FOLDER holds SCENARIO/runN/HOST.pcap.zst, the captures of both hosts of each run.
# OUT gets five tables as LaTeX, nine figures as PDF, a page (page.html) and every figure
# of every run (values.csv). The first comparison reads each capture once and keeps its
# figures in OUT/cache for the others. MPANALYZE names the program.
set -eu
program=${MPANALYZE:-mpanalyze}
folder=${1:?the folder of the campaign}
out=${2:?the folder for the results}
mkdir -p "$out"

both="$folder/{scenario}/run{run}/{host}.pcap.zst" # as a pair
one="$folder/{scenario}/run{run}/client.pcap.zst"  # at the host that receives

compare() { XDG_CACHE_HOME="$out/cache" "$program" compare "$@"; }
plot() { "$program" plot "$@"; }

# Tables.
compare --pattern "$both" --table fi23 --latex="$out/fi23.tex" --values "$out/values.csv" -o "$out/page.html"
for table in qoe24 rec16 mix; do
	compare --pattern "$both" --table $table --latex="$out/$table.tex"
done

# Figures; a call reads each of its captures once for all of them.
# FI23, Figures 3 and 4: a curve per scenario.
plot --pattern "$one" --interval 500ms \
	--figure "grid:path_delay,srtt,protocol_delay,hol_degree=$out/fi23-delays.pdf" --figure "grid:throughput=$out/fi23-throughput.pdf"
# QoE24: mean and variance. MIX: stacked bytes, retransmitted segments.
plot --pattern "$both" --figure "bars=$out/qoe24-bars.pdf" --figure "mix=$out/mix.pdf"
# REC16, Figures 6 to 10, of the first run of each scenario.
plot --pattern "$folder/{scenario}/run1/{host}.pcap.zst" \
	--figure "arrival=$out/rec16-arrival.pdf" --figure "offset=$out/rec16-offset.pdf" \
	--end receiver --figure "grid:throughput=$out/rec16-throughput.pdf" \
	--figure "delay=$out/rec16-delay.pdf" --figure "jitter=$out/rec16-jitter.pdf"
