import type { FieldErrors } from '../status/field-errors.ts';
import { validateEmbedded } from './embedded.ts';
import { validateListTypes } from './list-types.ts';
import type { Structural } from './structural.ts';
import { validateValue } from './validate-value.ts';

/** Validates a custom resource against its schema, except for duplicate list items. */
export const validateBySchema = (root: Structural, object: unknown): FieldErrors => [
  ...validateValue(root.props, object),
  ...validateEmbedded(root, object),
];

/**
 * Reports duplicate list items, unless the stored object already has some. Otherwise such an object could no
 * longer be updated.
 */
export const validateLists = (root: Structural, object: unknown, previous?: unknown): FieldErrors =>
  previous !== undefined && validateListTypes(root, previous).length > 0
    ? []
    : validateListTypes(root, object);
