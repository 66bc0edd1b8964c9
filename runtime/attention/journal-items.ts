import { type AnyKind, splitKey } from '../../api/kinds/index.ts';
import { nameOf } from './cached-objects.ts';
import type { Failing, FailingKeys, Running } from './failing-keys.ts';
import type { AttentionItem, ObjectLink } from '../journal/attention-item.ts';
import type { FailingKey, FailureRule, RuleFacts } from './rule.ts';

/** Sources that name keys and explain their failures. */
export interface KeyNames {
  readonly kindOfKeys: (controller: string) => AnyKind | undefined;
  readonly failures: readonly FailureRule[];
}

/** A key that fails for less is retried and may succeed, in milliseconds. */
const FAILING_MS = 15_000;
/** No reconcile that takes less is unusually long, in milliseconds. */
const SLOW_MS = 30_000;
/** A reconcile is unusually long beyond this multiple of the usual duration of the controller. */
const SLOW_TIMES = 10;

/** Returns the items of keys that fail or whose reconcile does not end. */
export function journalItems(keys: FailingKeys, names: KeyNames, facts: RuleFacts): readonly AttentionItem[] {
  const failing = keys.failing().filter(({ sinceMs }) => facts.nowMs - sinceMs >= FAILING_MS);
  const slow = keys
    .running()
    .filter(({ sinceMs, usualMs }) => facts.nowMs - sinceMs >= Math.max(SLOW_MS, SLOW_TIMES * usualMs));
  return [
    ...failing.map((each) => failingItem(each, names, facts)),
    ...slow.map((each) => slowItem(each, names, facts)),
  ];
}

interface NamedKey {
  readonly name: string;
  readonly object?: ObjectLink;
}

function named(
  { controller, key }: Pick<Failing, 'controller' | 'key'>,
  { kindOfKeys }: KeyNames,
  facts: RuleFacts,
): NamedKey {
  const kind = kindOfKeys(controller);
  if (kind === undefined) return { name: `Key ${key} of ${controller}` };
  const { namespace, name } = splitKey(key);
  const object = facts.linkTo(kind, name, namespace);
  return { name: nameOf(object), object };
}

function failingItem(failing: Failing, names: KeyNames, facts: RuleFacts): AttentionItem {
  const { controller, key, error, sinceMs } = failing;
  const { name, object } = named(failing, names, facts);
  const known: FailingKey = { ...failing, name, ...(object && { object }) };
  for (const rule of names.failures) {
    const match = rule.pattern.exec(error);
    if (match === null) continue;
    const { sentence, blocker } = rule.find(known, match, facts);
    return {
      reason: rule.reason,
      controller,
      key,
      sinceMs,
      sentence,
      ...(object && { object }),
      ...(blocker && { blocker }),
    };
  }
  const sentence = `${name} cannot be reconciled by ${controller} and is retried: ${error || 'no error is known'}.`;
  return { reason: 'reconcile-failing', controller, key, sinceMs, sentence, ...(object && { object }) };
}

function slowItem(running: Running, names: KeyNames, facts: RuleFacts): AttentionItem {
  const { controller, key, sinceMs } = running;
  const { name, object } = named(running, names, facts);
  return {
    reason: 'reconcile-slow',
    controller,
    key,
    sinceMs,
    sentence: `${name} is in a reconcile of ${controller} that has taken unusually long and has not ended.`,
    ...(object && { object }),
  };
}
