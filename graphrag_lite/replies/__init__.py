"""What a model wrote -> records, tolerantly: tuples, JSON, claims, reports. Asks no model."""
