"""What do the site, the pages and the generated files tell?"""
