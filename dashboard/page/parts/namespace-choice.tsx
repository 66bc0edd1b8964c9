import { chooseNamespace, chosenNamespace, useNamespaces } from '../namespace.ts';
import { useStore } from '../store.ts';

/** Choice of the namespace to which all lists of the tab are limited. Not shown if there is none to choose. */
export function NamespaceChoice({ label = 'namespace' }: { label?: string }) {
  const chosen = useStore(chosenNamespace);
  const names = [...new Set([...useNamespaces(), ...(chosen === '' ? [] : [chosen])])].sort();
  if (names.length === 0) return null;
  return (
    <select
      aria-label={label}
      class="namespace-choice"
      value={chosen}
      onChange={({ currentTarget }) => chooseNamespace(currentTarget.value)}
    >
      <option value="">all namespaces</option>
      {names.map((name) => (
        <option key={name} value={name} selected={name === chosen}>
          {name}
        </option>
      ))}
    </select>
  );
}
