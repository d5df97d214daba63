"""What people tell a running task: instructions, where to stop, more items, its place in the queue."""
