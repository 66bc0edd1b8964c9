import { useEffect, useState } from 'preact/hooks';
import { parameterOf, withParameter } from '../model/address.ts';
import { sendForJson, token } from './access.ts';
import type { PlainObject } from './api.ts';
import { createStore, useStore } from './store.ts';

const PARAMETER = 'namespace';
/** Maximum number of namespaces that a list offers. */
const MOST_NAMESPACES = 1_000;

const inAddress = (): string | undefined => parameterOf(location.hash, PARAMETER);

/** Namespace to which all lists of the tab are limited; '' for all namespaces. The address contains it. */
export const chosenNamespace = createStore(inAddress() ?? '');

/** Limits all lists to a namespace, and puts it into the address. */
export function chooseNamespace(namespace: string): void {
  chosenNamespace.set(namespace);
  keepInAddress();
}

function keepInAddress(): void {
  const wanted = withParameter(location.hash, PARAMETER, chosenNamespace.get() || undefined);
  if (wanted !== location.hash) history.replaceState(history.state, '', wanted === '' ? '#/' : wanted);
}

/** Follows the address: a link with a namespace chooses it, any other keeps the chosen one. */
export function followNamespace(): void {
  addEventListener('hashchange', () => {
    const next = inAddress();
    if (next === undefined) keepInAddress();
    else if (next !== chosenNamespace.get()) chosenNamespace.set(next);
  });
}

/** Returns the names of the namespaces, without those that the user may not list. */
export function useNamespaces(): readonly string[] {
  const bearer = useStore(token);
  const [names, show] = useState<readonly string[]>([]);
  useEffect(() => {
    let isCurrent = true;
    sendForJson<{ readonly items: readonly PlainObject[] }>(
      `/api/v1/namespaces?limit=${MOST_NAMESPACES}`,
    ).then(
      ({ items }) => isCurrent && show(items.map(({ metadata }) => metadata?.name ?? '')),
      () => {},
    );
    return () => void (isCurrent = false);
  }, [bearer]);
  return names;
}
