// Finds sections of the documents that have every word; a word of the title counts most. Nothing is asked of the network.
(() => {
  const root = document.currentScript.dataset.root;
  const input = document.getElementById('search');
  const found = document.getElementById('found');
  const most = 20;
  const worth = (section, word) => {
    if (section.title.toLowerCase().includes(word)) return 10;
    if (section.page.toLowerCase().includes(word)) return 5;
    return section.text.toLowerCase().includes(word) ? 1 : 0;
  };
  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    found.textContent = '';
    if (found.hidden) return;
    const hits = globalThis.drayIndex.map((section) => ({section, worths: words.map((word) => worth(section, word))}))
      .filter(({worths}) => worths.every((one) => one > 0))
      .map(({section, worths}) => ({section, sum: worths.reduce((a, b) => a + b)})).sort((a, b) => b.sum - a.sum);
    const said = document.createElement('p');
    said.textContent = hits.length === 0 ? 'Nothing has all these words.' : hits.length > most ? `${hits.length} sections; the first ${most}:` : `${hits.length} section${hits.length === 1 ? '' : 's'}:`;
    const list = document.createElement('ol');
    for (const {section} of hits.slice(0, most)) {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = root + section.at;
      link.textContent = section.title;
      const where = document.createElement('small');
      const at = section.text.toLowerCase().indexOf(words[0]);
      where.textContent = `${section.page} – ${section.text.slice(Math.max(0, at - 60), at + 120)}`;
      item.append(link, where);
      list.append(item);
    }
    found.append(said, list);
  }
  input.addEventListener('input', show);
  input.form.addEventListener('submit', (event) => { event.preventDefault(); found.querySelector('a')?.click(); });
})();
