"""From attention scores to probability distributions."""
