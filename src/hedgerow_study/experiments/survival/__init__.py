"""Trees as risk groups in aortic stenosis and on public cohorts (thesis, chapter 6)."""
