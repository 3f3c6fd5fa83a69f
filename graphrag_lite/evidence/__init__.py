"""What a statement rests on: spans, citation marks, packing, sentences, kept reports. No ranking, no model."""
