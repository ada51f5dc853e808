"""Tables in Spark: on one machine, on a cluster, or through Spark Connect."""
