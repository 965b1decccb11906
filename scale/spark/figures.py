"""Analyses the runs of a manifest as a job of Spark, then compares them.

    spark-submit figures.py runs.csv STUDY [options of mpanalyze compare]

runs.csv, its captures and STUDY lie where every executor reaches them. STUDY/figures.parquet gets a row for each
run, STUDY/statistics.parquet one for each figure of a scenario, STUDY/comparison.txt the tables of mpanalyze compare.
What is done lies in STUDY/results and is not analysed again. A task that fails, or could not read a capture for now, is
tried again by Spark: spark.task.maxFailures, 4, is how often at most. The exit status is that of compare: 2 says that runs
were skipped.
"""
import csv, json, os, subprocess, sys, time

import pyarrow as pa
from pyspark.sql import SparkSession

LATER, WAIT = 75, 20  # the exit status where a capture could not be read for now, and seconds until the next try
manifest, study = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ROW = "path string, scenario string, run string, vantage string, skipped string, figures map<string,double>"
STATISTICS = """SELECT scenario, vantage, figure, count(value) AS runs, avg(value) AS mean, stddev_pop(value) AS stddev,
  stddev_samp(value) AS sample_stddev, percentile(value, 0.5) AS median, min(value) AS min, max(value) AS max
  FROM runs LATERAL VIEW explode(figures) AS figure, value GROUP BY scenario, vantage, figure"""


def program():
    try:
        from mpanalyze import program  # the Python package carries one
    except ImportError:
        return os.environ.get("MPANALYZE", "mpanalyze")
    return program()


def analyse(batches):
    """Turns tables of paths into a table with a row for each run."""
    task = [program(), "task", "-", "--jobs", "1", "--manifest", manifest, "--output", study + "/results"]
    form = pa.schema([(n, pa.string()) for n in "path scenario run vantage skipped".split()] + [("figures", pa.map_(pa.string(), pa.float64()))])
    whole = True
    with subprocess.Popen(task, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as figures:
        for path in (path for batch in batches for path in batch["path"].to_pylist()):
            try:
                os.write(figures.stdin.fileno(), path.encode() + b"\n")
                line = figures.stdout.readline()
            except BrokenPipeError:
                line = b""
            if not line:
                whole = False
                break
            result = json.loads(line)
            of, run = result["input"], result["run"] or {"both": False, "vantage": None, "names": [], "values": []}
            yield pa.RecordBatch.from_pylist([{"path": path, "scenario": of["scenario"], "run": of["run"], "skipped": result["skipped"],
                "vantage": "both hosts" if run["both"] else run["vantage"], "figures": list(zip(run["names"], run["values"]))}], form)
    if figures.returncode == LATER:
        time.sleep(WAIT)
    if figures.returncode not in (0, 2) or not whole:  # 2: captures were skipped, which their results say
        raise RuntimeError(f"mpanalyze task ended with status {figures.returncode}; the executor's log says why")


with open(manifest, newline="", encoding="utf-8-sig") as f:
    rows = list(csv.DictReader(f, skipinitialspace=True))
first = [(r.get("files") or r.get("sender") or r["receiver"]).split(";")[0].strip() for r in rows]
paths = [(os.path.join(os.path.dirname(manifest), p),) for p in first]
spark = SparkSession.builder.appName("mpanalyze task").getOrCreate()
parts = (len(paths) + 3) // 4  # a program starts for each four runs, which saves a third of the time with captures of 30 MB
table = spark.createDataFrame(spark.sparkContext.parallelize(paths, parts), "path string")
table.mapInArrow(analyse, ROW).write.mode("overwrite").parquet(study + "/figures.parquet")
spark.read.parquet(study + "/figures.parquet").createOrReplaceTempView("runs")
spark.sql(STATISTICS).coalesce(1).write.mode("overwrite").parquet(study + "/statistics.parquet")
spark.stop()
with open(study + "/comparison.txt", "wb") as tables:  # spark-submit mixes standard output and messages
    compared = subprocess.run([program(), "compare", "--results", study + "/results", *sys.argv[3:]], stdout=tables)
sys.exit(compared.returncode)
