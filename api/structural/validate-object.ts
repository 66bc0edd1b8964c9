import type { FieldErrors } from '../status/field-errors.ts';
import { validateEmbedded } from './embedded.ts';
import { validateListTypes } from './list-types.ts';
import type { Structural } from './structural.ts';
import { validateValue } from './validate-value.ts';

/** All complaints about a custom resource that its schema has, but for lists that are sets or maps. */
export const validateBySchema = (root: Structural, object: unknown): FieldErrors => [
  ...validateValue(root.props, object),
  ...validateEmbedded(root, object),
];

/** Lists of an object that was stored with items twice are not asked about: it could not be written any more. */
export const validateLists = (root: Structural, object: unknown, previous?: unknown): FieldErrors =>
  previous !== undefined && validateListTypes(root, previous).length > 0
    ? []
    : validateListTypes(root, object);
