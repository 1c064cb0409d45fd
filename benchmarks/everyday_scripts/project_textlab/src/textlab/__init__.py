import logging

logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)
log.info("textlab loaded")
