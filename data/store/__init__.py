"""What outlives the process: matches and their logs, posts to send, results, settings of users."""
