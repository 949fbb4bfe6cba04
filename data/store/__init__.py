"""The database: matches and their logs, the outbox, results, settings of users."""
