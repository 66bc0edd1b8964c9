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

/** Description of the column with an object's creation time, copied from upstream's `metav1.ObjectMeta`. */
export const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists.';

/** Column with the age of an object. */
export const ageColumn: Column<never> & Column = {
  name: 'Age',
  type: 'string',
  cell: (object, nowMs) => translateTimestampSince(object.metadata?.creationTimestamp, nowMs),
};

/** Returns a column that is displayed with and without `kubectl get -o wide`. */
export const column = <T extends ApiObject>(
  name: string,
  cell: Cell<T>,
  description?: string,
): Column<T> => ({ name, type: 'string', ...(description !== undefined && { description }), cell });

/** Returns a column that only `kubectl get -o wide` displays (priority 1). */
export const wideColumn = <T extends ApiObject>(
  name: string,
  cell: Cell<T>,
  description?: string,
): Column<T> => ({ ...column(name, cell, description), priority: 1 });

/** String in a cell whose value is empty. */
export const NONE = '<none>';
/** Returns the string, or `<none>` if it is empty or undefined. */
export const orNone = (text: string | undefined): string => (text ? text : NONE);
