from tests.render.scripts import bare, furnished
from tests.render.zlib_pictures import zlib_pictures

__all__ = ["bare", "furnished", "zlib_pictures"]
