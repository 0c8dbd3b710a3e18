"""From a clinician's own table to a folder that opens in a browser."""
