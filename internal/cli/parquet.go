package cli

import "github.com/spf13/cobra"

// parquetSuffix ends the names of tables as Parquet.
const parquetSuffix = ".parquet"

// registerParquet adds the flag of commands that write the tables of a report.
func registerParquet(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "parquet", "", "write the tables of --csv as Parquet into the directory `DIR`: the same rows, columns, names and types")
}
