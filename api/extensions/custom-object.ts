import type { ApiObject } from '../kinds/kind.ts';

/** An object of a kind that a CustomResourceDefinition declares. */
export interface CustomObject extends ApiObject {
  [field: string]: unknown;
}
