import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createDiscovery } from './discovery.ts';
import type { Terminal } from './terminal.ts';

/**
 * Creates a terminal whose requests `ask` answers, and which records what is printed. It serves no resources
 * and follows nothing unless `more` says so.
 */
export function createTestTerminal(ask: Terminal['ask'], more: Partial<Terminal> = {}) {
  const printed: string[] = [];
  const terminal: Terminal = {
    clock: createSimulatedClock(Date.UTC(2026, 0, 15)),
    vocabulary: orchVocabulary,
    discovery: createDiscovery([], async () => []),
    namespace: 'team',
    ask,
    text: () => Promise.reject(new Error('no text is served')),
    follow: () => {
      throw new Error('nothing is watched');
    },
    print: (text) => void printed.push(text),
    notice: () => {},
    list: async (path) => [path],
    read: async () => '',
    ...more,
  };
  return { terminal, printed: () => printed.join('') };
}
