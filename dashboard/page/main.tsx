import { render } from 'preact';
import { chartStyle } from '../chart/style.ts';
import { App } from './app.tsx';
import { playServed } from './journal.ts';
import { loadSettings } from './settings.ts';
import { applyTheme } from './theme.ts';

applyTheme();
// The style of charts is shared with pictures on paper, where it is part of the file.
const sheet = new CSSStyleSheet();
sheet.replaceSync(chartStyle);
document.adoptedStyleSheets = [sheet];

const root = document.getElementById('app');
if (root !== null) {
  void loadSettings().then((settings) => {
    render(<App settings={settings} />, root);
    if (settings.mode === 'file') void playServed();
  });
}
