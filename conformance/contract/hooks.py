"""What the contract test needs to know of our media types."""

import schemathesis

# An archive of images is bytes.
schemathesis.serializer.alias("application/x-tar", "application/octet-stream")
