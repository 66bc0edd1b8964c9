import { translateTimestampSince } from './age.ts';
import type { ApiObject, Column } from './kind.ts';

type Cell<T extends ApiObject> = Column<T>['cell'];

/** Column with the name of an object; the first column of most Tables. */
export const nameColumn: Column<never> & Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  cell: (object) => object.metadata?.name ?? '',
};

/** Description of the column that shows when an object was created; the text of `metav1.ObjectMeta`. */
export const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists.';

/** Column with the age of an object. */
export const ageColumn: Column<never> & Column = {
  name: 'Age',
  type: 'string',
  cell: (object, nowMs) => translateTimestampSince(object.metadata?.creationTimestamp, nowMs),
};

/** Declares a column that is always shown. */
export const column = <T extends ApiObject>(
  name: string,
  cell: Cell<T>,
  description?: string,
): Column<T> => ({ name, type: 'string', ...(description !== undefined && { description }), cell });

/** Declares a column that only `-o wide` shows (priority 1). */
export const wideColumn = <T extends ApiObject>(
  name: string,
  cell: Cell<T>,
  description?: string,
): Column<T> => ({ ...column(name, cell, description), priority: 1 });

/** Cell text for an empty value. */
export const NONE = '<none>';
/** Returns the text, or `<none>` if it is empty or undefined. */
export const orNone = (text: string | undefined): string => (text ? text : NONE);
