import { render } from 'preact';
import { chartStyle } from '../chart/style.ts';
import { App } from './app.tsx';
import { playServed } from './journal.ts';
import { Problem } from './parts/bits.tsx';
import { loadSettings } from './settings.ts';
import { applyTheme } from './theme.ts';

applyTheme();
// The style of charts is shared with pictures on paper, where it is part of the file.
const sheet = new CSSStyleSheet();
sheet.replaceSync(chartStyle);
document.adoptedStyleSheets = [sheet];

const root = document.getElementById('app');
if (root !== null) {
  const unready = (problem: Error): void =>
    render(
      <main>
        <Problem problem={problem} />
      </main>,
      root,
    );
  void loadSettings(unready).then((settings) => {
    render(<App settings={settings} />, root);
    if (settings.mode === 'file') void playServed();
  });
}
