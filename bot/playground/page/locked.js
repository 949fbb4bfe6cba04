/* The page without its key, in the reader's language. */
import { fillIn, say } from "./words.js";

fillIn();
document.title = `Boneyard: ${say("locked_title")}`;
