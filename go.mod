module mpanalyze

go 1.26.0
