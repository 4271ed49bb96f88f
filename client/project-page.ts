/** The page of a project: copies what goes elsewhere. */
import { setUpCopyFields } from './copy-fields.ts';

setUpCopyFields();
