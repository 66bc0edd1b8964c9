import type { Vocabulary } from '../../api/vocabulary/index.ts';

type Labels = Readonly<Record<string, string>>;

/** Returns the keys of labels that were added, removed or changed. */
function changedKeys(next: Labels, previous: Labels): readonly string[] {
  const keys = new Set([...Object.keys(next), ...Object.keys(previous)]);
  const own = (labels: Labels, key: string): string | undefined =>
    Object.hasOwn(labels, key) ? labels[key] : undefined;
  return [...keys].filter((key) => own(next, key) !== own(previous, key));
}

const namespaceOf = (key: string): string => {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
};

const isWithin = (namespace: string, domain: string): boolean =>
  namespace === domain || namespace.endsWith(`.${domain}`);

/**
 * Returns a function that lists the changed labels that a node may not change on itself, sorted by key. These
 * are labels below `node-restriction`, and labels of the product's domains that do not describe the machine.
 * A node could otherwise attract pods that are not meant for it.
 */
export function createForbiddenLabels(v: Vocabulary): (next: Labels, previous: Labels) => readonly string[] {
  const restricted = `node-restriction.${v.domain}`;
  const ownDomains = [v.domain, v.groupSuffix];
  const agentDomains = [`${v.agent}.${v.domain}`, `node.${v.domain}`];
  const agentKeys = new Set([
    v.key('', 'hostname'),
    v.key('', 'os'),
    v.key('', 'arch'),
    v.key('beta', 'os'),
    v.key('beta', 'arch'),
    v.key('beta', 'instance-type'),
    v.key('topology', 'zone'),
    v.key('topology', 'region'),
    v.key('failure-domain.beta', 'zone'),
    v.key('failure-domain.beta', 'region'),
  ]);
  const isForbidden = (key: string): boolean => {
    const namespace = namespaceOf(key);
    if (isWithin(namespace, restricted)) return true;
    return (
      ownDomains.some((domain) => isWithin(namespace, domain)) &&
      !agentKeys.has(key) &&
      !agentDomains.some((domain) => isWithin(namespace, domain))
    );
  };
  return (next, previous) => changedKeys(next, previous).filter(isForbidden).toSorted();
}
