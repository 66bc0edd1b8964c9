import { isRecord } from '../../base/collections/index.ts';

/** Step of a path: a field, an index, or `*` for every item of a list or map. */
type PathStep = string | number | '*';

const STEP = /\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[(\*)\]|\.(\*)|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * Parses a path such as `$.object.metadata.labels['app.kubernetes.io/name']` or `$.object.items[*].name`.
 * Returns undefined for an invalid path.
 */
export function parsePath(text: string): readonly PathStep[] | undefined {
  if (!text.startsWith('$')) return undefined;
  const steps: PathStep[] = [];
  let at = 1;
  while (at < text.length) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) return undefined;
    const [whole, field, index, every, everyField, quoted] = found;
    if (index !== undefined) steps.push(Number(index));
    else if (every !== undefined || everyField !== undefined) steps.push('*');
    else steps.push(field ?? (quoted ?? '').replace(/\\(.)/g, '$1'));
    at += whole.length;
  }
  return steps;
}

/** Returns all values at a path. The list is empty if the path does not exist. */
export function valuesAt(value: unknown, [step, ...rest]: readonly PathStep[]): readonly unknown[] {
  if (step === undefined) return value === undefined ? [] : [value];
  if (step === '*') {
    const items = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
    return items.flatMap((item: unknown) => valuesAt(item, rest));
  }
  if (Array.isArray(value)) return typeof step === 'number' ? valuesAt(value[step], rest) : [];
  return isRecord(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : [];
}
