import type { Whole } from '../../../api/kinds/index.ts';
import type { WriteContext } from '../registry.ts';

/**
 * Returns the context with all members, including undefined ones, so that all write contexts share one hidden
 * class.
 */
export const wholeContext = (given: WriteContext): WriteContext =>
  ({
    user: given.user,
    dryRun: given.dryRun,
    fieldManager: given.fieldManager,
    fieldValidation: given.fieldValidation,
    force: given.force,
    duplicateFields: given.duplicateFields,
    repeatedKeys: given.repeatedKeys,
    floats: given.floats,
    emptied: given.emptied,
    warn: given.warn,
    annotate: given.annotate,
    waited: given.waited,
    dueMs: given.dueMs,
    received: given.received,
    options: given.options,
    conditions: given.conditions,
    isAdmitted: given.isAdmitted,
    signal: given.signal,
    mayCreate: given.mayCreate,
    conversions: given.conversions,
    seen: given.seen,
    budget: given.budget,
  }) satisfies Whole<WriteContext>;

/** Returns a copy of the same hidden class with some members changed. */
export const changedContext = (context: WriteContext, changes: Partial<WriteContext>): WriteContext =>
  Object.assign(wholeContext(context), changes);
