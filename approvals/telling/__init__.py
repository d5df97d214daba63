"""Who is told of what: mails, webhooks, reminders."""
