// Empty: whatever would use it fails.
