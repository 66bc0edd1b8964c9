import { translateTimestampSince } from './age.ts';
import type { ApiObject, Column } from './kind.ts';

type Cell<T extends ApiObject> = Column<T>['cell'];

export const nameColumn: Column<never> & Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  cell: (object) => object.metadata?.name ?? '',
};

/** What a column says of itself that shows when an object was created. */
export const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists.';

export const ageColumn: Column<never> & Column = {
  name: 'Age',
  type: 'string',
  cell: (object, nowMs) => translateTimestampSince(object.metadata?.creationTimestamp, nowMs),
};

/** A column that is always shown. */
export const column = <T extends ApiObject>(
  name: string,
  cell: Cell<T>,
  description?: string,
): Column<T> => ({ name, type: 'string', ...(description !== undefined && { description }), cell });

/** A column of `-o wide`. */
export const wideColumn = <T extends ApiObject>(
  name: string,
  cell: Cell<T>,
  description?: string,
): Column<T> => ({ ...column(name, cell, description), priority: 1 });

/** How Tables show that there is nothing. */
export const NONE = '<none>';
export const orNone = (text: string | undefined): string => (text ? text : NONE);
