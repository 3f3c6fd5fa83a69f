"""What all extractors share: text units to read, those that are kept, mentions put into tables. Knows no extractor."""
