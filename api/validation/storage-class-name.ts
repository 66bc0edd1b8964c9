import type { FieldErrors } from '../status/field-errors.ts';
import { checked } from './metadata.ts';
import { isDns1123Subdomain } from './names.ts';

/** Validates the name of a storage class; '' means none. */
export const validateStorageClassName = (name: string | undefined, field: string): FieldErrors =>
  name ? checked(field, name, isDns1123Subdomain) : [];
