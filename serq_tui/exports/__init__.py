"""What is taken along from a run: files for other programs and other people; draws nothing."""
