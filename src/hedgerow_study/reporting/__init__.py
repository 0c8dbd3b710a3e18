"""Tables, figures, the report page and the manifest: what a reader opens."""
